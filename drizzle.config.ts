import { defineConfig } from "drizzle-kit";

// The dialect `sqlite` changes a table by building a new one, which drops its triggers and STRICT; `turso` alters it.
export default defineConfig({
  dialect: "turso",
  schema: "./src/store/schema/*.ts",
  out: "./migrations",
  dbCredentials: { url: "file:unused-by-generate" },
});
