import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { choiceOf, EVENT_NAMES, type EventBits, type EventName, isEventOn } from './event-names.ts';
import { DELIVERIES, LEVELS, type NotificationLevel } from './levels.ts';

const Events = Type.Object(
  Object.fromEntries(EVENT_NAMES.map((name) => [name, Type.Boolean()])) as {
    [K in EventName]: ReturnType<typeof Type.Boolean>;
  },
  { $id: 'NotificationEvents' },
);

const word = <const W extends string>(words: readonly W[]) => Type.Unsafe<W>({ type: 'string', enum: words });

const Level = word(LEVELS);
const DeliveryWord = word(['global', ...DELIVERIES]);

const Source = Type.Object(
  {
    type: word(['project', 'group', 'user', 'default']),
    id: nullable(Type.Integer()),
    full_path: nullable(Type.String()),
  },
  { $id: 'NotificationSettingSource' },
);

export const Explanation = Type.Object(
  {
    level: Level,
    level_from: Source,
    /** What `custom` sends: with what holds where nothing was chosen. */
    events: Type.Optional(Events),
    delivery: DeliveryWord,
    delivery_from: Source,
    notification_email: Type.String(),
    notified_of_own_activity: Type.Boolean(),
  },
  { $id: 'NotificationSettingExplanation' },
);

const fields = { level: Level, events: Type.Optional(Events) };
/** Beyond GitLab's: only where a call says `explain=true`. */
const explained = { delivery: Type.Optional(DeliveryWord), explanation: Type.Optional(Explanation) };

export const NotificationSetting = Type.Object({ ...fields, ...explained }, { $id: 'NotificationSetting' });

export const OwnNotificationSetting = Type.Object(
  {
    ...fields,
    notification_email: Type.String(),
    ...explained,
    notified_of_own_activity: Type.Optional(Type.Boolean()),
  },
  { $id: 'GlobalNotificationSetting' },
);

type EventsJson = Static<typeof Events>;

/** As GitLab documents it: what was never chosen reads `false`. */
const presentChoices = (bits: EventBits): EventsJson =>
  Object.fromEntries(EVENT_NAMES.map((name) => [name, choiceOf(bits, name) ?? false])) as EventsJson;

/** What is in force: failed and fixed pipelines are told of until somebody switches them off. */
export const presentInForce = (bits: EventBits): EventsJson =>
  Object.fromEntries(EVENT_NAMES.map((name) => [name, isEventOn(bits, name)])) as EventsJson;

/** GitLab's body: `events` only at level `custom`. */
export const presentSetting = ({ level, events }: { level: NotificationLevel; events: EventBits }) => ({
  level,
  ...(level === 'custom' && { events: presentChoices(events) }),
});
