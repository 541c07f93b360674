import type { JSX } from "preact";
import { lazy } from "../../components/lazy.tsx";
import type { AfterRestoreProps } from "./after-restore.tsx";
import { restoredIn } from "./refusals.ts";

const AfterRestore = lazy(() => import("./after-restore.tsx"), null);

/** Asks for confirmation if an action is refused because of a restore. */
export const AskAfterRestore = (props: AfterRestoreProps): JSX.Element | null =>
  restoredIn(props.failure) === undefined ? null : <AfterRestore {...props} />;
