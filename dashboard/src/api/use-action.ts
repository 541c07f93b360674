import { useRef, useState } from "preact/hooks";
import { toast } from "../components/toast.tsx";
import { waitText } from "../wait-text.ts";
import { Failure } from "./failure.ts";
import { withReauthentication } from "./reauthentication.ts";
import { refresh } from "./use-query.ts";
import { valueFor } from "./value-for.ts";

export interface Action<Input, Output> {
  /** Resolves to undefined if the write failed, or if the previous run is still pending. */
  run(input: Input): Promise<Output | undefined>;
  readonly isPending: boolean;
  readonly result: Output | undefined;
  readonly failure: Failure | undefined;
}

type FailsIn = "toast" | "form";

export interface ActionOptions<Input, Output> {
  /** The text of a toast on success. */
  readonly done?: string | ((output: Output) => string);
  /**
   * Prefixes of the query keys to read again on success, and after a 409, which means that the page shows an old state.
   */
  readonly refreshes?: readonly string[];
  readonly onDone?: (output: Output, input: Input) => void;
  /** Reverts the change. The toast offers it for a few seconds. */
  readonly undo?: (output: Output, input: Input) => void;
  /** The place in which a failure is shown. Default: a toast. */
  readonly failsIn?: FailsIn | ((failure: Failure) => FailsIn);
}

/** A write. Clicks while it is running are ignored, and it is never retried automatically. */
export function useAction<Input, Output>(
  write: (input: Input) => Promise<Output>,
  { done, refreshes = [], onDone, undo, failsIn = "toast" }: ActionOptions<Input, Output> = {},
): Action<Input, Output> {
  const [state, setState] = useState<Omit<Action<Input, Output>, "run">>({
    isPending: false,
    result: undefined,
    failure: undefined,
  });
  const isRunning = useRef(false);

  const run = async (input: Input): Promise<Output | undefined> => {
    if (isRunning.current) return undefined;
    isRunning.current = true;
    setState(({ result }) => ({ isPending: true, result, failure: undefined }));
    try {
      const output = await withReauthentication(() => write(input));
      setState({ isPending: false, result: output, failure: undefined });
      refresh(...refreshes);
      if (done !== undefined) toast(valueFor(done, output), undo && { onUndo: () => undo(output, input) });
      onDone?.(output, input);
      return output;
    } catch (error) {
      const failure = Failure.of(error);
      setState({ isPending: false, result: undefined, failure });
      // 409: the state that the page shows has changed meanwhile.
      if (failure.status === 409) refresh(...refreshes);
      if (valueFor(failsIn, failure) === "toast") toast(errorMessage(failure), { look: "danger" });
      return undefined;
    } finally {
      isRunning.current = false;
    }
  };
  return { run, ...state };
}

export function errorMessage({ status, message, needed, retryAfterSeconds, isOutage }: Failure): string {
  if (needed !== undefined) return `This requires the ${needed} role. Ask an owner of the workspace.`;
  if (status === 429) return `Too many requests. Try again in ${waitText(retryAfterSeconds ?? 60)}.`;
  if (status > 500 && status !== 503) return `The server returned an error (${status}). Try again in a moment.`;
  if (isOutage) return "Can't reach Tributary right now. Try again in a moment.";
  return message;
}
