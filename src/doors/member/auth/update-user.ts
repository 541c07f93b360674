import { readFromDatabase } from "#api/read-database.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { renameUser } from "#store/accounts/users.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";

const UserChanges = z.object({ name: fields.nonBlank("name") }).openapi("UserChanges");

export const updateUser = endpoint({
  route: createRoute({
    method: "post",
    path: "/update-user",
    operationId: "updateUser",
    tags: ["Sign-in"],
    summary: "Change your name",
    description: "Members of your workspaces see the name. A repeat changes nothing.",
    ...withJsonBody(signedIn()),
    request: { body: body(UserChanges) },
    responses: {
      ...returns("Your new name", z.object({ data: z.object({ name: z.string() }) })),
      ...refusals([...sessionWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const { name } = c.req.valid("json");
    const renamed = await readFromDatabase(c, "home", (database) =>
      renameUser(database, c.get("userId"), name, c.get("call").at),
    );
    return renamed.ok ? c.json({ data: { name } }, 200) : refuse(c, renamed.refusal);
  },
});
