select json_build_object(
  'attachmentId', attachment.attachment_id, 'planId', attachment.plan_id, 'label', attachment.terms->>'label',
  'createdAt', attachment.created_at
)::text as value
from simplan.attachment
join simplan.subscription on subscription.organization_id = attachment.organization_id
and subscription.subscription_id = attachment.subscription_id and subscription.status <> 'Deleted'
where attachment.organization_id = $1
and attachment.attachment_id = any(array(
  select json_array_elements_text($2::json)
));
