import { shorten } from '../../schema/go/shorten.ts'

/** Maximum characters of another program's text in our messages (client-go's maxUnstructuredResponseTextBytes). */
export const maxTextLength = 2_048

/** What another program said, for a message. */
export const shortText = (text: string): string => shorten(text, maxTextLength)
