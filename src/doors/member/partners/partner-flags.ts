import * as z from "#http/schema/zod.ts";

/** `shared_account`: another partner of the program is paid to the same account or email address. */
export const partnerFlags = z.array(z.enum(["shared_account"]));

export const flagsOf = (sharing: readonly unknown[]): z.output<typeof partnerFlags> =>
  sharing.length === 0 ? [] : ["shared_account"];
