import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface CardProps {
  readonly title?: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Card({ title, lead, actions, children }: CardProps): JSX.Element {
  const id = useId();
  return (
    <section class="card" aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <header class="row spread">
          <div>
            <h2 id={id}>{title}</h2>
            {lead !== undefined && <p class="soft">{lead}</p>}
          </div>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}
