/**
 * A task: a button that opens a dialog, which says what the task would do before it is done.
 *
 * What would be done is asked for again whenever a field changes. A task that fails leaves its
 * dialog as it was. It has a key that stays the same until the server has refused it or the fields
 * change, so that it is done once, however often it is sent.
 */
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { TextLimit } from "simplan/ports"
import * as Api from "./Api.ts"
import * as View from "./View.tsx"

type Values = Readonly<Record<string, string>>

export interface Field {
  readonly name: string
  readonly label: string
  /** What can be chosen; a text if it is absent. */
  readonly choices?: ReadonlyArray<{ readonly value: string; readonly title: string }>
  /** Whether it may be left empty. */
  readonly optional?: true
  readonly longest?: number
  /** Whether several of the choices can be taken: their values are separated by commas. */
  readonly takesMany?: true
  /** Whether it is a minute in UTC. */
  readonly isTime?: true
  /** What it has at first; the first of its choices if it is absent, or nothing. */
  readonly initial?: string
}

/** What was done, with a secret that is shown this once. */
export interface Secret {
  readonly sentence: string
  readonly secret: string
}

/** What was done, with a link to the page that shows it. */
export interface Led {
  readonly sentence: string
  readonly link: string
  readonly to: Readonly<Record<string, string>>
}

/** What a task says of what it has done. */
export type Done = string | Secret | Led

export interface Task {
  readonly title: string
  /** What it is about, beside what it would do. */
  readonly about?: string
  /** Whether it ends something, and stands apart from what does not. */
  readonly isDangerous?: true
  readonly fields?: () => Promise<ReadonlyArray<Field>>
  /** The reason that stands there at first, for the audit log. */
  readonly reason?: string
  /** What it would do, in sentences; the task is not offered before. */
  readonly preview: (values: Values) => Promise<ReadonlyArray<string>>
  /**
   * What has to be typed before it is done, by its last preview: the name of what it deletes, or
   * how many SIMs it changes (rule W14). Null: nothing.
   */
  readonly typed?: () => string | null
  /** Does it, and gives a sentence that says what was done. `say` shows how far it is. */
  readonly does: (values: Values, key: string, say: (sentence: string) => void) => Promise<Done>
}

const NO_FIELDS: ReadonlyArray<Field> = []

const AGAIN_BY_HAND = "It may have been done. Choose it again once there is an answer."

/** What each task asks beside its own fields. */
const REASON: Field = {
  name: "audit-reason",
  label: "Why, for the audit log",
  optional: true,
  longest: TextLimit.REASON
}

const firstOf = (fields: ReadonlyArray<Field>): Values =>
  Object.fromEntries(
    fields.map(({ choices, initial, name, takesMany }) => [
      name,
      initial ?? (takesMany === true ? "" : (choices?.[0]?.value ?? ""))
    ])
  )

const taken = (value: string): ReadonlyArray<string> => value.split(",").filter((one) => one !== "")

const Choices = ({ field, onChange, value }: InputProperties) => (
  <fieldset>
    <legend>{field.label}</legend>
    {field.choices?.map(({ title, value: of }) => (
      <label key={of}>
        <input
          type="checkbox"
          checked={taken(value).includes(of)}
          onChange={({ currentTarget }) => {
            const others = taken(value).filter((one) => one !== of)
            onChange((currentTarget.checked ? [...others, of] : others).join(","))
          }}
        />{" "}
        {title}
      </label>
    ))}
  </fieldset>
)

interface InputProperties {
  readonly field: Field
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Filters of the page behind the dialog may have the same names. */
const idOf = ({ name }: Field): string => `task-${name}`

const Line = ({ field, onChange, value }: InputProperties) => {
  const attributes = {
    id: idOf(field),
    value,
    required: field.optional !== true,
    maxLength: field.longest,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => onChange(currentTarget.value)
  }
  return field.isTime === true ? <input type="datetime-local" {...attributes} /> : <input {...attributes} />
}

const Labelled = ({ field, onChange, value }: InputProperties) => (
  <div class="field">
    <label htmlFor={idOf(field)}>{field.label}</label>
    {field.choices === undefined ? (
      <Line field={field} value={value} onChange={onChange} />
    ) : (
      <select
        id={idOf(field)}
        value={value}
        required={field.optional !== true}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {field.choices.map(({ title, value: of }) => (
          <option key={of} value={of}>
            {title}
          </option>
        ))}
      </select>
    )}
  </div>
)

const Input = (properties: InputProperties) =>
  properties.field.takesMany === true ? <Choices {...properties} /> : <Labelled {...properties} />

/** A field for a name or a number that has to be typed before something is done. */
export const Typed = ({
  of,
  onChange,
  value
}: {
  readonly of: string
  readonly value: string
  readonly onChange: (value: string) => void
}) => (
  <div class="field">
    <label htmlFor="typed">
      Type <View.Text>{of}</View.Text> to go on
    </label>
    <input id="typed" autocomplete="off" value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
  </div>
)

/** Whether what has to be typed is there. */
export const isTyped = (of: string | null, value: string): boolean => of === null || value.trim() === of.trim()

const isFilled = (fields: ReadonlyArray<Field>, values: Values): boolean =>
  fields.every(({ name, optional }) => optional === true || (values[name] ?? "") !== "")

/** How long a field has to stay as it is before it is asked what would be done, in milliseconds. */
const PAUSE = 250

/** How soon what got no answer is asked again, in milliseconds. */
const AGAIN = 3_000

const FIRST = "input, select, textarea"

const Dialog = ({
  close,
  done,
  task
}: {
  readonly task: Task
  readonly close: () => void
  readonly done: (said: Done) => void
}) => {
  const element = useRef<HTMLDialogElement>(null)
  const [fields, setFields] = useState<ReadonlyArray<Field> | null>(null)
  const [values, setValues] = useState<Values>({})
  const [preview, setPreview] = useState<ReadonlyArray<string> | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [reason, setReason] = useState(task.reason ?? "")
  const [turn, next] = useState(0)
  const [typed, type] = useState("")
  const key = useRef(Api.newKey())
  const toType = preview === null || isBusy ? null : (task.typed?.() ?? null)
  const isReady = preview !== null && isTyped(toType, typed)

  /** Asks again after a while, if that may help. */
  const failed = (error: unknown): ReturnType<typeof setTimeout> | undefined => {
    setFailure(Api.sentenceOf(error))
    return Api.isPassing(error) ? setTimeout(() => next((before) => before + 1), AGAIN) : undefined
  }

  useEffect(() => {
    element.current?.showModal()
  }, [])

  useEffect(() => {
    if (fields !== null) return undefined
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = task.fields?.() ?? Promise.resolve(NO_FIELDS)
    read.then(
      (found) => {
        if (isOver) return
        setValues(firstOf(found))
        setFields(found)
        setFailure(null)
      },
      (error: unknown) => {
        if (!isOver) timer = failed(error)
      }
    )
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [fields, turn])

  useEffect(() => {
    // What is typed already goes on.
    if (fields !== null && reason === (task.reason ?? "")) element.current?.querySelector<HTMLElement>(FIRST)?.focus()
  }, [fields])

  useEffect(() => {
    key.current = Api.newKey()
    setPreview(null)
  }, [fields, values])

  useEffect(() => {
    if (fields === null || !isFilled(fields, values)) return undefined
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(
      () =>
        task.preview(values).then(
          (sentences) => {
            if (isOver) return
            setPreview(sentences)
            setFailure(null)
          },
          (error: unknown) => {
            if (!isOver) timer = failed(error)
          }
        ),
      fields.length === 0 ? 0 : PAUSE
    )
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [fields, values, turn])

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (isBusy || !isReady) return
    setBusy(true)
    setFailure(null)
    try {
      done(await Api.giving(reason.trim(), () => task.does(values, key.current, (sentence) => setPreview([sentence]))))
    } catch (error) {
      // What was refused is refused again under its key; what got no answer may have been done.
      if (error instanceof Api.Refused && error.status >= 400 && error.status < 500) key.current = Api.newKey()
      const isLost = error instanceof Api.Refused && error.code === "lost"
      setFailure(isLost ? `The server gives no answer. ${AGAIN_BY_HAND}` : Api.sentenceOf(error))
      setBusy(false)
    }
  }

  return (
    <dialog
      ref={element}
      aria-labelledby="task"
      onClose={close}
      // What has begun is not ended by it.
      onCancel={(event) => isBusy && event.preventDefault()}
    >
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="task">{task.title}</h2>
        {task.about !== undefined && <p>{task.about}</p>}
        {fields?.map((field) => (
          <Input
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
        <Input field={REASON} value={reason} onChange={setReason} />
        <div role="status" data-preview>
          {preview === null
            ? failure === null && (fields === null || isFilled(fields, values)) && <p class="empty">Asking …</p>
            : preview.map((sentence) => (
                <p key={sentence}>
                  <View.Text>{sentence}</View.Text>
                </p>
              ))}
        </div>
        {toType !== null && <Typed of={toType} value={typed} onChange={type} />}
        <View.Failure>{failure}</View.Failure>
        <p class="pages">
          <button
            type="submit"
            class={task.isDangerous === true ? "danger" : "filled"}
            disabled={!isBusy && !isReady}
            aria-disabled={isBusy}
          >
            {task.title}
          </button>
          <button type="button" aria-disabled={isBusy} onClick={() => isBusy || element.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  )
}

interface Said extends Secret {
  readonly led: Pick<Led, "link" | "to"> | null
}

const NOTHING: Said = { sentence: "", secret: "", led: null }

const saidOf = (done: Done): Said => {
  if (typeof done === "string") return { ...NOTHING, sentence: done }
  return "secret" in done ? { ...NOTHING, ...done } : { ...NOTHING, sentence: done.sentence, led: done }
}

/** What opens tasks on a page, and what shows their dialog and what was done. */
export interface Tasks {
  readonly open: (task: Task) => void
  readonly shown: JSX.Element
}

/** For a page whose rows have tasks. `again` reads what they change. */
export const useTasks = (again: () => void): Tasks => {
  const [open, setOpen] = useState<Task | null>(null)
  const [{ led, secret, sentence: said }, say] = useState(NOTHING)
  const result = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    // The button of what was done may be gone.
    if (said !== "") result.current?.focus()
  }, [said])
  const shown = (
    <>
      <p role="status" tabIndex={-1} ref={result} data-done>
        <View.Text>{said}</View.Text>
      </p>
      {led !== null && (
        <p>
          <View.Link to={led.to}>{led.link}</View.Link>
        </p>
      )}
      {secret !== "" && (
        <p class="secret">
          <code data-secret>{secret}</code>
          <span>It is shown this once: keep it where only those find it who need it.</span>
          <button type="button" onClick={() => say(NOTHING)}>
            Hide it
          </button>
        </p>
      )}
      {open !== null && (
        <Dialog
          task={open}
          close={() => setOpen(null)}
          done={(of) => {
            setOpen(null)
            say(saidOf(of))
            again()
          }}
        />
      )}
    </>
  )
  return {
    shown,
    open: (task) => {
      say(NOTHING)
      setOpen(task)
    }
  }
}

/** The buttons of tasks, such as those of a row. */
export const Openers = ({ tasks, with: { open } }: { readonly tasks: ReadonlyArray<Task>; readonly with: Tasks }) => (
  <span class="actions">
    {tasks.map((task) => (
      <button
        key={task.title}
        type="button"
        class={task.isDangerous === true ? "danger" : ""}
        onClick={() => open(task)}
      >
        {task.title}
      </button>
    ))}
  </span>
)

/**
 * The buttons of tasks, with what was done below. Those that have a name in common are never shown
 * at once.
 */
export const Buttons = ({ again, tasks }: { readonly tasks: ReadonlyArray<Task>; readonly again: () => void }) => {
  const opened = useTasks(again)
  return (
    <>
      <Openers tasks={tasks} with={opened} />
      {opened.shown}
    </>
  )
}
