import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { type ApiDocument, isKeyRequired, type Operation, scopesOf } from "../openapi/with-examples.ts";
import { guide } from "./guide.ts";
import { fieldsOf, type Schema, type Schemas } from "./schema.ts";
import { searchBox } from "./search-box.ts";
import { style } from "./style.ts";

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

type Content = NonNullable<Operation["responses"][string]["content"]>;
type Media = Content[string];

interface Call extends Operation {
  readonly method: string;
  readonly path: string;
}

export function docsPage(document: ApiDocument, sdk: string): Html {
  const { info, paths, components } = document;
  const server = document.servers[0]?.url ?? "";
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({ ...operation, method, path })),
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<style>${raw(style)}</style>
</head>
<body>
<div class="page">
<nav aria-label="Contents">${raw(searchBox)}${navigation(document, calls)}</nav>
<main>
<h1>${info.title} API</h1>
<p class="lead">${info.summary}</p>
${guide(server, sdk)}
${calls.map((call) => operation(call, server, components.schemas))}
</main>
</div>
</body>
</html>`;
}

const navigation = ({ tags }: ApiDocument, calls: readonly Call[]): Html => html`
<strong>Guide</strong>
<a href="#start">Start</a><a href="#sdk">SDK</a><a href="#authentication">Authentication</a><a href="#key-rotation">Key rotation</a>
<a href="#test-mode">Test mode</a><a href="#errors">Errors</a><a href="#find-out-why">Find out why</a><a href="#limits">Limits</a>
${tags.map(({ name }) => html`<strong>${name}</strong>${calls.filter((call) => call.tags.includes(name)).map(link)}`)}
<strong>Guides</strong>
<a href="/docs/guides/">All guides</a><a href="/docs/guides/integration/">Integration</a><a href="/docs/guides/keys/">Keys</a><a href="/docs/guides/testing/">Testing</a>
<a href="/docs/guides/errors/">Errors</a>
<strong>Specification</strong>
<a href="/api/v1/openapi.json">OpenAPI 3.1</a>
<strong>Tributary</strong>
<a href="/app/">Dashboard</a>`;

const link = ({ operationId, method, path }: Call): Html =>
  html`<a href="#${operationId}">${path.replace("/api/v1", "")} <small>${method.toUpperCase()}</small></a>`;

const operation = (call: Call, server: string, schemas: Schemas): Html => html`
<section class="operation" id="${call.operationId}">
<h2>${call.summary}</h2>
<div class="call"><span class="${call.method}">${call.method.toUpperCase()}</span> ${call.path} <small>${access(call)}</small></div>
${call.description && html`<p>${prose(call.description)}</p>`}
${body(call, server, schemas)}
<h3>Responses</h3>
${Object.entries(call.responses).map(([status, { description, content }]) => answer(status, description, content, schemas))}
</section>`;

function access(call: Operation): string {
  const scopes = scopesOf(call);
  if (scopes.length === 0) return "no API key";
  return `API key ${isKeyRequired(call) ? "required" : "optional"}, scope ${scopes.join(" or ")}`;
}

function body(call: Call, server: string, schemas: Schemas): Html {
  const content = call.requestBody?.content["application/json"];
  if (content === undefined) return html`<pre tabindex="0">${curl(call, server)}</pre>`;
  const examples = examplesOf(content);
  return html`<h3>Fields</h3>${table(content.schema, schemas)}<h3>Examples</h3>
${examples.map(([name, { value }]) => html`<figure><figcaption>${name}</figcaption><pre tabindex="0">${curl(call, server, { name, value })}</pre></figure>`)}`;
}

function curl(call: Call, server: string, example?: { readonly name: string; readonly value: unknown }): string {
  const { method, path } = call;
  const parts = [`curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${server}${path}`];
  if (isKeyRequired(call) || example?.name === "server") {
    parts.push('-H "Authorization: Bearer $TRIBUTARY_API_KEY"');
  }
  if (example) parts.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(example.value)}'`);
  return parts.join(" \\\n  ");
}

function answer(status: string, description: string, content: Content | undefined, schemas: Schemas): Html {
  const json = content?.["application/json"];
  const tone = status.startsWith("2") ? "good" : "bad";
  return html`<details>
<summary><b class="${tone}">${status}</b> <span>${description}</span></summary>
<div>
${json && status.startsWith("2") ? table(json.schema, schemas) : ""}
${examplesOf(json).map(([name, { value }]) => example(name, value))}
</div>
</details>`;
}

const examplesOf = (media: Media | undefined): readonly (readonly [string, { readonly value: unknown }])[] =>
  media?.example === undefined ? Object.entries(media?.examples ?? {}) : [["example", { value: media.example }]];

const example = (name: string, value: unknown): Html =>
  html`<figure><figcaption>${name}</figcaption><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre></figure>`;

const table = (schema: Schema, schemas: Schemas): Html => html`<div class="scroll" tabindex="0"><table>
<thead><tr><th>Field</th><th>Type</th><th>Description</th></tr></thead>
<tbody>${fieldsOf(schema, schemas).map(
  ({ name, type, isRequired, description }) => html`<tr>
<td><code>${name}</code>${isRequired ? html` <small class="must">required</small>` : ""}</td>
<td><small>${type}</small></td><td>${prose(description)}</td></tr>`,
)}</tbody></table></div>`;

const prose = (text: string): Html[] =>
  text.split("`").map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
