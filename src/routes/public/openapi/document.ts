import { publicApi } from "../api.ts";
import { operationExamples } from "./examples.ts";
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

export function openApiDocument(server = "/"): ApiDocument {
  const document = publicApi.getOpenAPI31Document({ openapi: "3.1.0", info, tags, servers: [{ url: server }] });
  const components = { ...document.components, securitySchemes: { programKey } };
  // Through JSON, so that it equals the document that clients receive.
  return withExamples(JSON.parse(JSON.stringify({ ...document, components })), operationExamples);
}
