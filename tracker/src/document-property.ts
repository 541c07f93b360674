import { attempt } from "./attempt.ts";

/** Reads the prototype, since a form, image or frame of that name shadows the property of the document itself. */
export const documentProperty = (name: string): unknown =>
  attempt(() => Reflect.get(Document.prototype, name, document));
