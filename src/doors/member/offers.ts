import { OfferBody, OfferReply, offerReply, readOffer, refuseInvalidOffer, setOffer } from "#api/offers.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { GroupPath, ProgramPath } from "./params.ts";

const writeRefusals = [
  ...memberWriteRefusals,
  ...inputRefusals,
  "coupon_taken",
  "cap_reached",
  "program_archived",
] as const;

export const getOffer = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/offer",
    operationId: "getOffer",
    tags: ["Management"],
    summary: "Get the offer for partners' customers",
    description: "Returns the program's offer. Groups can have offers of their own.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: { ...returns("The offer", OfferReply), ...refusals(memberRefusals) },
  }),
  handler: async (c) => {
    const found = await readOffer(c, { programId: c.get("program").id, groupId: null });
    return found.ok ? c.json(offerReply(found.value), 200) : refuse(c, found.refusal);
  },
});

export const saveOffer = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/offer",
    operationId: "setOffer",
    tags: ["Management"],
    summary: "Set the offer for partners' customers",
    description:
      "Replaces the program's offer immediately. The service doesn't change prices: your checkout applies the offer's coupon. Repeating the call changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(OfferBody) },
    responses: { ...returns("The offer", OfferReply), ...refusals(writeRefusals) },
  }),
  hook: refuseInvalidOffer,
  handler: async (c) => {
    const set = await setOffer(c, actingMember(c), null, c.req.valid("json"));
    return set.ok ? c.json(offerReply(set.value), 200) : refuse(c, set.refusal);
  },
});

export const getGroupOffer = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/groups/{groupId}/offer",
    operationId: "getGroupOffer",
    tags: ["Management"],
    summary: "Get the offer of a group's partners",
    description: "Returns null if customers of the group's partners get the program's offer.",
    ...programMember("viewer"),
    request: { params: GroupPath },
    responses: { ...returns("The offer", OfferReply), ...refusals(memberRefusals) },
  }),
  handler: async (c) => {
    const { groupId } = c.req.valid("param");
    const found = await readOffer(c, { programId: c.get("program").id, groupId });
    return found.ok ? c.json(offerReply(found.value), 200) : refuse(c, found.refusal);
  },
});

export const saveGroupOffer = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/groups/{groupId}/offer",
    operationId: "setGroupOffer",
    tags: ["Management"],
    summary: "Set the offer of a group's partners",
    description:
      "Replaces the group's offer immediately. With null, customers of the group's partners get the program's offer again.",
    ...withJsonBody(programMember("admin")),
    request: { params: GroupPath, body: body(OfferBody) },
    responses: { ...returns("The offer", OfferReply), ...refusals(writeRefusals) },
  }),
  hook: refuseInvalidOffer,
  handler: async (c) => {
    const { groupId } = c.req.valid("param");
    const set = await setOffer(c, actingMember(c), groupId, c.req.valid("json"));
    return set.ok ? c.json(offerReply(set.value), 200) : refuse(c, set.refusal);
  },
});
