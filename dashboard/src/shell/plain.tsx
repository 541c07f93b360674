import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Skeleton } from "../components/states.tsx";
import { Brand } from "./brand.tsx";
import { useTitle } from "./title.ts";

interface PlainProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly foot?: ComponentChildren;
}

let isFirstScreen = true;

export function Plain({ title, lead, children, foot }: PlainProps): JSX.Element {
  useTitle(title);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    // The button that led here is gone, so the page takes its focus.
    if (!isFirstScreen && document.activeElement === document.body) main.current?.focus();
    isFirstScreen = false;
  }, [title]);
  return (
    <div class="solo">
      <header>
        <Brand />
      </header>
      <main ref={main} tabIndex={-1}>
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
