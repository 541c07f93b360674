import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";

export const PartnerSidePath = z.object({
  programId: z.string().openapi({ description: "Id of the program." }),
  partnerId: z.string().openapi({ description: "Id of the partner." }),
});

/** A query parameter of every read. The guard checks it. */
export const viewField = () => ({
  as: fields.oneOf("as", ["owner"]).optional().openapi({
    description:
      "`owner`: read as an owner of the program. The first such call of a day is recorded in the program's audit log.",
  }),
});

export const JoinPath = z.object({ slug: z.string().openapi({ description: "Address of the program's join page." }) });
