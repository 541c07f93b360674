import { sessionCookieName } from "../../http/session-cookie.ts";
import { type ApiDocument, withExamples } from "../public/with-examples.ts";
import { sessionDescribed } from "./described.ts";

const info = {
  title: "Tributary, for people",
  version: "1",
  summary: "What the dashboard calls: sign-in, a program's figures, and the management of programs.",
};

const tags = [
  { name: "Sign-in", description: "Accounts and sessions." },
  { name: "Dashboard", description: "What a program's integration and its partners bring." },
  { name: "Management", description: "Workspaces, programs, partners, policies and commissions." },
];

/** The description of the endpoints for people, made of the very schemas that judge their calls. */
export function sessionDocument(server = "/", isCookieSecure = true): ApiDocument {
  const document = sessionDescribed.getOpenAPI31Document({ openapi: "3.1.0", info, tags, servers: [{ url: server }] });
  const session = {
    type: "apiKey",
    in: "cookie",
    name: sessionCookieName(isCookieSecure),
    description: "Set by signing in. Where a role is named, it is the least that one needs in the workspace.",
  };
  const components = { ...document.components, securitySchemes: { session } };
  return withExamples(JSON.parse(JSON.stringify({ ...document, components })), {});
}
