import type { DataKeyRing } from "../data-keys.ts";
import { type DataContext, decryptData, encryptData } from "../encrypted-data.ts";
import type { ProgramId } from "../ids.ts";
import type { Mail } from "./mail.ts";

/** The row that contains the mail. `programId` is null for a mail to an account. */
export interface MailRef {
  readonly id: string;
  readonly programId: ProgramId | null;
}

/** A mail before it is sent. */
export interface WrittenMail extends Mail {
  /**
   * From this instant on (ms), the mail isn't sent, because its link has expired or its day is over. Undefined for no
   * limit.
   */
  readonly linkUntil?: number | undefined;
  /** Additional headers of the mail. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export const contextOfMail = ({ id, programId }: MailRef): DataContext => ({
  purpose: "mail",
  rowId: `${programId ?? "home"} ${id}`,
});

/** Encrypts a mail. `iv` is 12 random bytes that are never used twice. */
export const sealMail = (
  ring: DataKeyRing,
  ref: MailRef,
  mail: WrittenMail,
  iv: Uint8Array<ArrayBuffer>,
): Promise<string> => encryptData(ring, contextOfMail(ref), JSON.stringify(mail), iv);

/** Decrypts a mail. Undefined if no key of the ring decrypts it, or if it was altered or belongs to another row. */
export async function openMail(ring: DataKeyRing, ref: MailRef, content: string): Promise<WrittenMail | undefined> {
  const plain = await decryptData(ring, contextOfMail(ref), content);
  return plain === undefined ? undefined : JSON.parse(plain);
}
