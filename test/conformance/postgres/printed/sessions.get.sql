select (json_build_object('sessionId', session.session_id, 'endsAt', session.ends_at, 'endedAt', session.ended_at,
  'renewals', session.renewals, 'renewedAt', session.renewed_at, 'cookie', session.cookie, 'askedAt', session.asked_at,
  'version', session.version))::text as value
from simplan.session
where session.session_id = $1;
