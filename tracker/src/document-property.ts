import { attempt } from "./attempt.ts";

/** Reads the property from the prototype, because a form, image or frame with its name shadows it on the document. */
export const documentProperty = (name: string): unknown =>
  attempt(() => Reflect.get(Document.prototype, name, document));
