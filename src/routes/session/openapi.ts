import { sessionCookieName } from "../../http/session-cookie.ts";
import { type ApiDocument, withExamples } from "../public/openapi/with-examples.ts";
import { sessionApi } from "./api.ts";

const info = {
  title: "Tributary dashboard",
  version: "1",
  summary: "The endpoints behind the dashboard: sign-in, reports and program management.",
};

const tags = [
  { name: "Sign-in", description: "Accounts and sessions." },
  { name: "Dashboard", description: "Integration status, events and performance of a program." },
  { name: "Management", description: "Workspaces, programs, partners, policies and commissions." },
  { name: "Payouts", description: "Balances, adjustments, payouts and statements of partners." },
];

export function sessionDocument(server = "/", isCookieSecure = true): ApiDocument {
  const document = sessionApi.getOpenAPI31Document({ openapi: "3.1.0", info, tags, servers: [{ url: server }] });
  const session = {
    type: "apiKey",
    in: "cookie",
    name: sessionCookieName(isCookieSecure),
    description: "Set when you sign in. A role listed with it is the minimum role required in the workspace.",
  };
  const components = { ...document.components, securitySchemes: { session } };
  return withExamples(JSON.parse(JSON.stringify({ ...document, components })), {});
}
