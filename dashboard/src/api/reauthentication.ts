import { Failure } from "./failure.ts";
import { createSignal } from "./signal.ts";

/** Called with true once the user has confirmed their identity, or with false if they cancel. */
type Answer = (isConfirmed: boolean) => void;

/** Set while the dialog asks the user to confirm their identity. */
export const reauthentication = createSignal<Answer | undefined>(undefined);

/**
 * Sends a write. If the service first requires the user to confirm their identity, asks the user to do so, then sends
 * the write again.
 */
export async function withReauthentication<Output>(write: () => Promise<Output>): Promise<Output> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof Failure && error.code === "reauthenticate")) throw error;
    const isConfirmed = await new Promise<boolean>((answer) => reauthentication.set(answer));
    reauthentication.set(undefined);
    if (!isConfirmed) throw error;
    return write();
  }
}
