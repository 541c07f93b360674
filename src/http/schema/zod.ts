// First what gives schemas their `openapi` method. A namespace import of this file lets the bundler drop what of zod
// no schema uses; the `z` that @hono/zod-openapi exports is the whole of it.
import "@hono/zod-openapi";

export * from "zod";
