import type { JSX } from "preact";
import { Failed } from "../components/states.tsx";
import type { useWorkspaces } from "../session.tsx";
import { Plain, PlainSkeleton } from "./plain.tsx";

export function MissingWorkspaces({ failure, refetch }: ReturnType<typeof useWorkspaces>): JSX.Element {
  if (failure === undefined || failure.isOutage) return <PlainSkeleton />;
  return (
    <Plain title="Your workspaces">
      <Failed failure={failure} onRetry={refetch} />
    </Plain>
  );
}
