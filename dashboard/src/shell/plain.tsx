import type { ComponentChildren, JSX } from "preact";
import { Skeleton } from "../components/states.tsx";
import { Brand } from "./brand.tsx";
import { useTitle } from "./title.ts";

interface PlainProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly foot?: ComponentChildren;
}

export function Plain({ title, lead, children, foot }: PlainProps): JSX.Element {
  useTitle(title);
  return (
    <div class="solo">
      <header>
        <Brand />
      </header>
      <main>
        <div class="card">
          <div>
            <h1>{title}</h1>
            {lead !== undefined && <p class="soft">{lead}</p>}
          </div>
          {children}
        </div>
        {foot !== undefined && <div class="soft foot">{foot}</div>}
      </main>
    </div>
  );
}

export const PlainSkeleton = (): JSX.Element => (
  <div class="solo" aria-busy="true">
    <header>
      <Brand />
    </header>
    <main>
      <div class="card">
        <Skeleton lines={6} />
      </div>
    </main>
  </div>
);
