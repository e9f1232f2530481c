/** A field that takes a file, which is chosen or dropped. */
import { useRef } from "preact/hooks"

export const FileField = ({ accept, take }: { readonly accept: string; readonly take: (file: File) => void }) => {
  const input = useRef<HTMLInputElement>(null)
  const given = (files: FileList | null | undefined): void => {
    const [file] = files ?? []
    if (file !== undefined) take(file)
    // The same file can be chosen again once it has changed.
    if (input.current !== null) input.current.value = ""
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field in it does the same
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        given(event.dataTransfer?.files)
      }}
    >
      <label htmlFor="file">Choose a file, or drop it here</label>
      <input
        id="file"
        type="file"
        accept={accept}
        ref={input}
        onChange={({ currentTarget }) => given(currentTarget.files)}
      />
    </div>
  )
}
