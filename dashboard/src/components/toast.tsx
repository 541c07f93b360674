import type { JSX } from "preact";
import { useEffect, useId } from "preact/hooks";
import { createSignal, useSignal } from "../api/signal.ts";
import { CheckIcon, CrossIcon, WarningIcon } from "./icons.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly look: "good" | "danger";
  readonly onUndo: (() => void) | undefined;
}

const shownMs = { good: 5_000, danger: 12_000 } as const;
const undoMs = 10_000;
const toasts = createSignal<readonly Toast[]>([]);
/**
 * The places that can show toasts. Only the last place shows them, because a toast outside an open dialog would be
 * dimmed and inert.
 */
const places = createSignal<readonly string[]>([]);
let lastId = 0;

const drop = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id));

export function toast(text: string, { look = "good", onUndo }: Partial<Pick<Toast, "look" | "onUndo">> = {}): void {
  lastId += 1;
  const id = lastId;
  toasts.set([...toasts.get(), { id, text, look, onUndo }]);
  setTimeout(() => drop(id), onUndo === undefined ? shownMs[look] : undoMs);
}

/** Rendered from the start: screen readers announce a change only in a live region that existed before the change. */
export function Toasts(): JSX.Element {
  const id = useId();
  const shown = useSignal(toasts);
  const isLast = useSignal(places).at(-1) === id;
  useEffect(() => {
    places.set([...places.get(), id]);
    return () => places.set(places.get().filter((place) => place !== id));
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {isLast &&
        shown.map(({ id, text, look, onUndo }) => (
          <div key={id} class={`toast ${look}`}>
            {look === "good" ? <CheckIcon /> : <WarningIcon />}
            <p>{text}</p>
            {onUndo && (
              <button
                type="button"
                class="button secondary"
                onClick={() => {
                  drop(id);
                  onUndo();
                }}
              >
                Undo
              </button>
            )}
            <button type="button" class="button quiet" aria-label="Dismiss" onClick={() => drop(id)}>
              <CrossIcon />
            </button>
          </div>
        ))}
    </div>
  );
}
