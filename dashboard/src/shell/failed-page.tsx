import type { JSX } from "preact";
import type { Query } from "../api/use-query.ts";
import { lazy } from "../components/lazy.tsx";
import { PlainSkeleton } from "./plain.tsx";

export const FailedPage = lazy(() => import("../pages/failed.tsx"), <PlainSkeleton />);

/** A page whose data is still loading or couldn't be loaded. */
export const Unread = ({ failure, refetch }: Pick<Query<unknown>, "failure" | "refetch">): JSX.Element =>
  failure === undefined || failure.isOutage ? <PlainSkeleton /> : <FailedPage failure={failure} onRetry={refetch} />;
