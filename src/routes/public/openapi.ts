import { described } from "./described.ts";
import { shown } from "./examples.ts";
import { type ApiDocument, withExamples } from "./with-examples.ts";

const info = {
  title: "Tributary",
  version: "1",
  summary: "Affiliate tracking: clicks, sign-ups, sales, refunds, and the commissions they earn.",
};

const tags = [
  { name: "Tracking", description: "Events, as they happen. One that is sent again under the same id counts once." },
  { name: "Program", description: "What a program's key tells of the program." },
  { name: "Service", description: "For whoever runs the service." },
];

const programKey = {
  type: "http",
  scheme: "bearer",
  description: "The program's API key, from a backend only.",
} as const;

/** The description of the public endpoints, made of the very schemas that judge their calls. */
export function openApiDocument(server = "/"): ApiDocument {
  const document = described.getOpenAPI31Document({ openapi: "3.1.0", info, tags, servers: [{ url: server }] });
  const components = { ...document.components, securitySchemes: { programKey } };
  // As JSON: what is left of it once it is sent.
  return withExamples(JSON.parse(JSON.stringify({ ...document, components })), shown);
}
