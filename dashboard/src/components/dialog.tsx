import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { CrossIcon } from "./icons.tsx";

interface DialogProps {
  readonly title: string;
  readonly look?: "box" | "drawer";
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Open while rendered. Esc, the close button and a click outside call `onClose`. */
export function Dialog({ title, look = "box", onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opened = dialog.current;
    const opener = document.activeElement;
    opened?.showModal();
    return () => {
      opened?.close();
      // If the dialog has left the page, the browser no longer restores focus itself.
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser turns Esc into `cancel`
    <dialog
      ref={dialog}
      class={`dialog ${look}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="dialog-body">
        <header class="row spread">
          <h2 id={id}>{title}</h2>
          <Button look="quiet" label="Close" onClick={onClose}>
            <CrossIcon />
          </Button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
