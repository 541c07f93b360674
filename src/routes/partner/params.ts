import * as z from "#http/schema/zod.ts";

export const PartnerSidePath = z.object({
  programId: z.string().openapi({ description: "Id of the program." }),
  partnerId: z.string().openapi({ description: "Id of the partner whose side this is." }),
});
