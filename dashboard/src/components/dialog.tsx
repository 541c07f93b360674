import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { CrossIcon } from "./icons.tsx";
import { Toasts } from "./toast.tsx";

interface DialogProps {
  readonly title: string;
  readonly look?: "box" | "drawer";
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Content that every dialog inside the provider shows at its top. */
export const DialogNotice = createContext<ComponentChildren>(null);

const firstField = ":is(input, select, textarea):not([type=hidden], :disabled)";

/**
 * A dialog that is open as long as it is rendered. Esc, the close button and a click outside call `onClose`. After the
 * user has typed something, a click outside is ignored, because closing would lose the input, or a result that is never
 * shown again.
 */
export function Dialog({ title, look = "box", onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const notice = useContext(DialogNotice);
  const isDirty = useRef(false);
  const isPressedOutside = useRef(false);
  // The cleanup of `useEffect` would run a frame later. By then, a key may have moved the focus, and the cleanup would
  // move it back.
  useLayoutEffect(() => {
    const opened = dialog.current;
    const opener = document.activeElement;
    opened?.showModal();
    // By default, the browser focuses the close button.
    const choices = look === "drawer" ? [firstField] : [firstField, ".button.primary", ".button.secondary"];
    const found = choices.flatMap((choice) => opened?.querySelector<HTMLElement>(`header ~ * ${choice}`) ?? []);
    found[0]?.focus();
    return () => {
      opened?.close();
      // The browser doesn't restore focus if the dialog is no longer in the document.
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser turns Esc into `cancel`
    <dialog
      ref={dialog}
      tabIndex={-1}
      class={`dialog ${look}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onInput={() => {
        isDirty.current = true;
      }}
      onPointerDown={(event) => {
        isPressedOutside.current = event.target === dialog.current;
      }}
      onClick={(event) => {
        const isOutside = event.target === dialog.current && isPressedOutside.current;
        if (isOutside && !isDirty.current) onClose();
      }}
    >
      <div class="dialog-body">
        <header class="row spread">
          <h2 id={id}>{title}</h2>
          <Button look="quiet" label="Close" onClick={onClose}>
            <CrossIcon />
          </Button>
        </header>
        {notice}
        {children}
      </div>
      <Toasts />
    </dialog>
  );
}
