export { Deliverer } from "#deliver/deliverer.ts";
export { Ledger } from "#ledger/ledger.ts";
export { app as default } from "./app.ts";
