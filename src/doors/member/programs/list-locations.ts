import { readFromDatabase } from "#api/read-database.ts";
import { locationsOf } from "#domain/shard-choice.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { readShardLoads } from "#store/places.ts";
import { sessionRefusals, signedIn } from "../guards.ts";

const LocationsReply = z.object({
  data: z.array(
    z
      .object({ location: z.string().describe("Name of the location, which `createProgram` accepts.") })
      .openapi("Location"),
  ),
});

export const listLocations = endpoint({
  route: createRoute({
    method: "get",
    path: "/locations",
    operationId: "listLocations",
    tags: ["Management"],
    summary: "List locations",
    description: "Lists the locations in which a new program's data can be stored. Empty if the service has only one.",
    ...signedIn(),
    responses: {
      ...returns("Locations", LocationsReply),
      ...refusals(sessionRefusals),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, "home", readShardLoads);
    if (!found.ok) return refuse(c, found.refusal);
    return c.json({ data: locationsOf(found.value).map((location) => ({ location })) }, 200);
  },
});
