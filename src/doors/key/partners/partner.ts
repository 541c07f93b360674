import { warnings } from "#http/reply.ts";
import { inSnakeCase, snakeSchema } from "#http/schema/camel-keys.ts";
import * as z from "#http/schema/zod.ts";
import type { PartnerView } from "#store/views/partners.ts";
import { partnerRecord, partnerReply } from "../../member/partners/partner-record.ts";

export const Partner = partnerRecord.schema.extend({
  email: partnerRecord.schema.shape.email.describe("Only with the scope `manage`."),
});

export const PartnerReply = z.object({ data: snakeSchema(Partner).openapi("Partner"), ...warnings });

export const partnerOf = (partner: PartnerView) => ({ data: inSnakeCase(partnerReply(partner, true)) });
