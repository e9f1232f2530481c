select json_build_object(
  'attachmentId', attachment.attachment_id, 'planId', attachment.plan_id, 'label', attachment.terms->>'label',
  'createdAt', attachment.created_at
)::text as value
from json_array_elements_text($1::json) as asked(attachment_id)
join simplan.attachment on attachment.organization_id = $2
and attachment.attachment_id = asked.attachment_id
join simplan.subscription on subscription.organization_id = attachment.organization_id
and subscription.subscription_id = attachment.subscription_id and subscription.status <> 'Deleted';
