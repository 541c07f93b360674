// Importing this file adds the method `openapi` to zod. Import it as a namespace, so that the bundler can drop the
// parts of zod that no schema uses. The `z` that @hono/zod-openapi exports always contains all of zod.
import "@hono/zod-openapi";

export * from "zod";
