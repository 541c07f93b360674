export { app as default } from "./app.ts";
export { Ledger } from "./ledger/ledger.ts";
