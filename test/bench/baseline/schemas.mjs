// What the baseline's answers look like, for Fastify's compiled encoder, and the one body that it
// takes.
const text = { type: "string" }
const nullable = { type: ["string", "null"] }
const object = (properties) => ({ type: "object", properties })
const list = (items) => ({ type: "array", items })
const answers = (schema, status = 200) => ({ response: { [status]: schema } })
const enveloped = (data) => object({ error: { type: "boolean" }, data })
const used = object({ dataBytes: { type: "integer" } })

export const subscription = answers(
  enveloped(
    object({
      subscription_id: text,
      created_at: text,
      metadata: text,
      paused_at: nullable,
      esim: object({ esim_id: text, iccid: text, lpa_string: nullable, label: text })
    })
  )
)

const plan = object({
  name: text,
  _id: text,
  coverage_id: text,
  region_code: text,
  label: text,
  throttling: { type: "boolean" },
  recurring: { type: "boolean" },
  data_mega_bytes: { type: "integer" },
  period_days: { type: "integer" }
})

const part = object({ package_id: text, activation_at: nullable, expiration_at: nullable, used_allowance: used })

export const attachments = answers(
  enveloped(
    list(
      object({
        plan_attachment_id: text,
        created_at: text,
        activation_at: nullable,
        expiration_at: nullable,
        used_allowance: used,
        metadata: text,
        state: text,
        reason: { ...object({ code: text, message: text }), nullable: true },
        plan,
        packages: list(part)
      })
    )
  )
)

const sim = object({
  iccid: text,
  label: text,
  lpa: nullable,
  used: { type: "boolean" },
  esim_id: text,
  created_at: text,
  is_esim: { type: "boolean" },
  tags: list(text)
})

export const sims = answers(object({ error: { type: "boolean" }, data: list(sim), next_page: nullable }))

export const creation = {
  body: { ...object({ plan_id: text, metadata: text, iccid: text }), required: ["plan_id", "metadata"] },
  ...answers(
    object({
      subscription_id: text,
      created_at: text,
      metadata: text,
      esimdata: object({ esim_id: text, iccid: text, label: text, lpa_string: nullable })
    }),
    201
  )
}
