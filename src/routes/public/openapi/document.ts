import { described } from "../api.ts";
import { shown } from "./examples.ts";
import { type ApiDocument, withExamples } from "./with-examples.ts";

const info = {
  title: "Tributary",
  version: "1",
  summary: "Affiliate tracking: clicks, sign-ups, sales, refunds and the commissions they earn.",
};

const tags = [
  {
    name: "Tracking",
    description: "Record clicks, leads, sales and refunds. An event sent again with the same id counts once.",
  },
  { name: "Program", description: "Check the integration of the program that the API key belongs to." },
  { name: "Service", description: "Health checks for operators." },
];

const programKey = {
  type: "http",
  scheme: "bearer",
  description: "The program's API key. Send it only from a backend.",
} as const;

/** The description of the public endpoints, made of the very schemas that judge their calls. */
export function openApiDocument(server = "/"): ApiDocument {
  const document = described.getOpenAPI31Document({ openapi: "3.1.0", info, tags, servers: [{ url: server }] });
  const components = { ...document.components, securitySchemes: { programKey } };
  // As JSON: what is left of it once it is sent.
  return withExamples(JSON.parse(JSON.stringify({ ...document, components })), shown);
}
