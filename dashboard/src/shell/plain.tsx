import type { ComponentChildren, JSX } from "preact";
import { Skeleton } from "../components/states.tsx";
import { Brand } from "./brand.tsx";
import { useTitle } from "./title.ts";

interface PlainProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Below the card. */
  readonly foot?: ComponentChildren;
}

/** A page outside of any program: one card in the middle. */
export function Plain({ title, lead, children, foot }: PlainProps): JSX.Element {
  useTitle(title);
  return (
    <div class="plain">
      <Brand />
      <main class="card">
        <header>
          <h1>{title}</h1>
          {lead !== undefined && <p class="soft">{lead}</p>}
        </header>
        {children}
      </main>
      {foot !== undefined && <p class="soft foot">{foot}</p>}
    </div>
  );
}

export const PlainSkeleton = (): JSX.Element => (
  <div class="plain" aria-busy="true">
    <Brand />
    <main class="card">
      <Skeleton lines={6} />
    </main>
  </div>
);
