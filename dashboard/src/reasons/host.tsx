import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { Empty } from "../components/states.tsx";
import { useFilters } from "../url.ts";

interface ReasonsDrawerProps {
  /** The value of the query parameter `reasons`. */
  readonly of: string;
  readonly children: ComponentChildren;
}

/**
 * The drawer with the reasons for an amount. It is the same drawer for a sum and its parts, and Back returns to the
 * sum.
 */
export function ReasonsDrawer({ of, children }: ReasonsDrawerProps): JSX.Element {
  const [{ cursor }, setFilters] = useFilters();
  const content = useRef<HTMLDivElement>(null);
  const shown = useRef(of);
  useEffect(() => {
    if (shown.current === of) return;
    shown.current = of;
    // Focuses the new content, since the amount that had the focus is gone.
    content.current?.focus();
  }, [of]);
  return (
    <Dialog title="What makes up this amount" look="drawer" onClose={() => setFilters({ reasons: undefined, cursor })}>
      <div key={of} class="stack reasons" tabIndex={-1} ref={content}>
        {children}
      </div>
    </Dialog>
  );
}

export const NoReasons = (): JSX.Element => <Empty title="Not found">This page has no such amount.</Empty>;
