import { Failure } from "./failure.ts";
import { createSignal } from "./signal.ts";

/** Answers whether the user has confirmed who they are. */
type Answer = (isConfirmed: boolean) => void;

/** Set while a dialog asks. */
export const reauthentication = createSignal<Answer | undefined>(undefined);

/** If the service wants to know first who is there, asks, and then sends the write again. */
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
