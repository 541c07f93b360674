import { updatePartner } from "#api/change-partner.ts";
import { body, createRoute, endpoint, invalidField, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { ownProof } from "../../member/auth/own-proof.ts";
import { inputRefusals } from "../../member/guards.ts";
import { partnerSide, partnerWriteRefusals } from "../guards.ts";
import { PartnerSidePath } from "../params.ts";
import { confirmPassword } from "./confirm-password.ts";
import { Profile, readProfile } from "./profile.ts";

const Changes = z
  .object({
    name: fields.optional(fields.nonBlank("name")),
    email: fields
      .optional(fields.email("email"))
      .describe(
        "Needs the password, and with two-factor authentication a code. The program checks a new address before it pays there.",
      ),
    password: fields.optional(ownProof.password),
    code: ownProof.code,
  })
  .openapi("PartnerProfileChanges");

export const updateProfile = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/partners/{partnerId}/profile",
    operationId: "updatePartnerProfile",
    tags: ["Partner"],
    summary: "Update your profile",
    description: "What is left out stays as it is. Works also while the program or the partner is paused.",
    ...withJsonBody(partnerSide("manage")),
    request: { params: PartnerSidePath, body: body(Changes) },
    responses: {
      ...returns("The profile", z.object({ data: Profile })),
      ...refusals([...partnerWriteRefusals, ...inputRefusals, "wrong_password"]),
    },
  }),
  handler: async (c) => {
    const { accountId, partner } = c.var;
    const { name, email, password, code } = c.req.valid("json");
    if (email !== null) {
      if (password === null)
        return refuse(c, invalidField("password", "password is required to change the email address"));
      const confirmed = await confirmPassword(c, accountId, { password, code });
      if (!confirmed.ok) return refuse(c, confirmed.refusal);
    }
    const { programId, partnerId, shard } = partner;
    const changes = { name: name ?? undefined, email: email ?? undefined };
    const updated = await updatePartner(
      c,
      { id: programId, shard },
      {
        ...c.get("call"),
        kind: "update-partner",
        programId,
        partnerId,
        actorId: accountId,
        changes,
        isByPartner: true,
      },
    );
    if (!updated.ok) return refuse(c, updated.refusal);
    const found = await readProfile(c, c.var);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});
