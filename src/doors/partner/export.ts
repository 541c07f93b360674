import { jsonFileHeaders } from "#api/export-file.ts";
import { OwnData, ownDataHead, ownDataJson } from "#api/own-data.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { ok } from "#domain/result.ts";
import { download } from "#http/download.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream } from "#http/text-stream.ts";
import { readOwnAccount } from "#store/accounts/own-account.ts";
import { readOwnData } from "#store/views/own-data.ts";
import { downloading, noPartner, partnerRefusals, partnerSide, programFile } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const Reply = z.object({ data: OwnData });

export const exportOwnData = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/export",
    operationId: "exportOwnData",
    tags: ["Partner"],
    summary: "Download your data",
    description:
      "A file with everything that the program stores about the partner, and the service about your account. Not paged.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object(viewField()) },
    responses: {
      ...returns("The file", Reply),
      ...refusals([...partnerRefusals, "invalid_input", "download_running"]),
    },
  }),
  handler: async (c) => {
    const { accountId, role, partner } = c.var;
    const { programId, partnerId } = partner;
    const { at } = c.get("call");
    const [atProgram, atHome] = await Promise.all([
      readFromDatabase(c, "program", (database) => readOwnData(database, { programId, partnerId, accountId })),
      readFromDatabase(c, "home", (database) => readOwnAccount(database, accountId, at)),
    ]);
    if (!atProgram.ok) return refuse(c, atProgram.refusal);
    if (!atHome.ok) return refuse(c, atHome.refusal);
    if (atProgram.value.partner === undefined) return refuse(c, noPartner);
    const own = role === "owner" ? undefined : atHome.value;
    const found = { ...atProgram.value, partner: atProgram.value.partner, own };
    const head = await ownDataHead(c, c.var, found, at);
    const headers = jsonFileHeaders(programFile(partner), "own data");
    const file = await download(c, downloading(c), async () => ok({ parts: ownDataJson(c, c.var, head) }));
    if (!file.ok) return refuse(c, file.refusal);
    return jsonStream<z.output<typeof Reply>>(c, file.value.parts, headers);
  },
});
