import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { CrossIcon } from "./icons.tsx";

interface DialogProps {
  readonly title: string;
  /** Where it stands: in the middle, or at the window's end, from its top to its bottom. */
  readonly look?: "box" | "drawer";
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Open as long as it is rendered. Esc, the cross, and a click beside it ask for its end. */
export function Dialog({ title, look = "box", onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opened = dialog.current;
    const opener = document.activeElement;
    opened?.showModal();
    return () => {
      opened?.close();
      // By then the dialog may be gone from the page, and with it what the browser knows of who opened it.
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
