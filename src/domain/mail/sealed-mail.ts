import type { DataKeyRing } from "../data-keys.ts";
import { type DataContext, decryptData, encryptData } from "../encrypted-data.ts";
import type { ProgramId } from "../ids.ts";
import type { Mail } from "./mail.ts";

/** The row of a content. `programId`: null for a mail to an account. */
export interface MailRef {
  readonly id: string;
  readonly programId: ProgramId | null;
}

/** Before it is sent. */
export interface WrittenMail extends Mail {
  /** Time at which the link in it ends (ms). Undefined: none ends. */
  readonly linkUntil?: number | undefined;
}

export const contextOfMail = ({ id, programId }: MailRef): DataContext => ({
  purpose: "mail",
  rowId: `${programId ?? "home"} ${id}`,
});

/** `iv`: 12 random bytes, never used twice. */
export const sealMail = (
  ring: DataKeyRing,
  ref: MailRef,
  mail: WrittenMail,
  iv: Uint8Array<ArrayBuffer>,
): Promise<string> => encryptData(ring, contextOfMail(ref), JSON.stringify(mail), iv);

/** Undefined if no key of the ring opens it, or if it was altered or belongs elsewhere. */
export async function openMail(ring: DataKeyRing, ref: MailRef, content: string): Promise<WrittenMail | undefined> {
  const plain = await decryptData(ring, contextOfMail(ref), content);
  return plain === undefined ? undefined : JSON.parse(plain);
}
