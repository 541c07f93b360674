import { attempt } from "./attempt.ts";

/** From the prototype: forms, images and frames of the page may have taken the name on the document itself. */
export const documentProperty = (name: string): unknown =>
  attempt(() => Reflect.get(Document.prototype, name, document));
