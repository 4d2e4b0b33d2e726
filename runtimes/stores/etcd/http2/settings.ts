/** SETTINGS (RFC 9113, section 6.5): what either end asks of the other. */
import { ConnectionError, errorCodes, protocolError } from './errors.ts'
import { defaultMaxFrameSize, largest31 } from './frames.ts'

export const settingIds = { headerTableSize: 1, enablePush: 2, maxConcurrentStreams: 3, initialWindowSize: 4, maxFrameSize: 5 } as const

export const defaultWindowSize = 65_535
const largestFrameSize = 2 ** 24 - 1
const settingLength = 6

export interface PeerSettings {
  maxConcurrentStreams: number
  initialWindowSize: number
  maxFrameSize: number
}

export const initialSettings = (): PeerSettings => ({
  maxConcurrentStreams: Number.POSITIVE_INFINITY,
  initialWindowSize: defaultWindowSize,
  maxFrameSize: defaultMaxFrameSize,
})

/**
 * Takes over what a SETTINGS frame says; settings that nobody here needs are passed over.
 * @throws ConnectionError for values that are not allowed.
 */
export function readSettings(payload: Buffer, settings: PeerSettings): void {
  if (payload.length % settingLength !== 0) throw new ConnectionError(errorCodes.frameSizeError, 'settings are cut')
  for (let at = 0; at < payload.length; at += settingLength) {
    const value = payload.readUInt32BE(at + 2)
    const id = payload.readUInt16BE(at)
    if (id === settingIds.maxConcurrentStreams) settings.maxConcurrentStreams = value
    else if (id === settingIds.initialWindowSize) {
      if (value > largest31) throw new ConnectionError(errorCodes.flowControlError, `a window can't have ${value} bytes`)
      settings.initialWindowSize = value
    } else if (id === settingIds.maxFrameSize) {
      if (value < defaultMaxFrameSize || value > largestFrameSize) throw protocolError(`a frame can't have ${value} bytes`)
      settings.maxFrameSize = value
    } else if (id === settingIds.enablePush && value !== 0) throw protocolError('a server pushes')
  }
}
