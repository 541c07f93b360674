const placeholder = /^(["'`]?)(?:undefined|null|NULL|NaN|None|\[object .*\]|\{\{.*\}\}|\$\{.*\})\1$/su;

/** What programs write where an id is missing, as the service refuses it; a test compares them. */
export const isPlaceholder = (id: string): boolean => placeholder.test(id);
