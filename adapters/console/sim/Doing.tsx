/**
 * What can be done to a SIM: what helps next first and filled, and what ends something apart. On a
 * phone it is a bar at the bottom, which a thumb reaches.
 */
import { useState } from "preact/hooks"
import * as Task from "../Task.tsx"
import * as View from "../View.tsx"
import type { Installation } from "./Installation.tsx"

/** The task that helps, by what the verdict says is to be done next. */
const NEXT: Readonly<Record<string, string>> = {
  top_up: "Top up",
  resume: "Resume",
  move: "Move to another eSIM",
  sell: "Sell a plan",
  restore: "Put back into stock"
}

export const Doing = ({
  again,
  installation,
  next,
  tasks
}: {
  readonly tasks: ReadonlyArray<Task.Task>
  /** What the verdict says is to be done next. */
  readonly next: string
  /** Shows how it is installed; null: it is no eSIM. */
  readonly installation: Installation | null
  readonly again: () => void
}) => {
  const opened = Task.useTasks(again)
  const [isOpen, setOpen] = useState(false)
  const open = (task: Task.Task): void => {
    setOpen(false)
    opened.open(task)
  }
  const first = tasks.find(({ title }) => title === NEXT[next]) ?? tasks[0]
  const others = tasks.filter((task) => task !== first)
  const isInstalledNext = next === "install_esim" && installation?.isShown === false
  const code = installation?.isShown === false && (
    <View.Action label="Show the QR code" does={installation.show} done={() => setOpen(false)} />
  )
  const button = (task: Task.Task) => (
    <button
      key={task.title}
      type="button"
      class={task === first && !isInstalledNext ? "filled" : task.isDangerous === true ? "danger" : ""}
      onClick={() => open(task)}
    >
      {task.title}
    </button>
  )
  return (
    <section class={isOpen ? "doing open" : "doing"} aria-label="What can be done">
      {opened.shown}
      <div class="first">
        {isInstalledNext && <span class="filling">{code}</span>}
        {first !== undefined && button(first)}
        <button type="button" class="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Less" : "More"}
        </button>
      </div>
      <div class="others">
        <p class="actions">
          {!isInstalledNext && code}
          {others.filter(({ isDangerous }) => isDangerous !== true).map(button)}
        </p>
        <p class="actions dangers">{others.filter(({ isDangerous }) => isDangerous === true).map(button)}</p>
      </div>
    </section>
  )
}
