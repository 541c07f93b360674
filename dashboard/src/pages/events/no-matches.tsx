import type { ComponentChildren, JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/states.tsx";

interface NoMatchesProps {
  /** The kind of items in the list, such as "events". */
  readonly of: string;
  readonly children: ComponentChildren;
}

export function NoMatches({ of, children }: NoMatchesProps): JSX.Element {
  const { path, route } = useLocation();
  return (
    <Empty title={`No matching ${of}`} action={<Button onClick={() => route(path)}>Show all {of}</Button>}>
      {children}
    </Empty>
  );
}
