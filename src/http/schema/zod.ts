// The first import adds the `openapi` method. Import this file as a namespace, so that the bundler can drop the parts of
// zod that no schema uses; the `z` that @hono/zod-openapi exports contains all of it.
import "@hono/zod-openapi";

export * from "zod";
