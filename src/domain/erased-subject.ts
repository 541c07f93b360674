export const erasedSubjects = ["customer", "click", "partner"] as const;
export type ErasedSubject = (typeof erasedSubjects)[number];
export const isErasedSubject = (text: string): text is ErasedSubject => erasedSubjects.some((each) => each === text);
