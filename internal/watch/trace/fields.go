package trace

// Numbers of fields, by message of Perfetto.
const (
	tracePacket = 1 // Trace

	packetClocks     = 6 // TracePacket
	packetTime       = 8
	packetSequence   = 10
	packetEvent      = 11
	packetInterned   = 12
	packetFlags      = 13
	packetDescriptor = 60

	internedCategories  = 1 // InternedData
	internedNames       = 2
	internedAnnotations = 3

	entryID   = 1 // EventCategory, EventName, DebugAnnotationName
	entryName = 2

	eventCategoryID  = 3 // TrackEvent
	eventAnnotations = 4
	eventType        = 9
	eventNameID      = 10
	eventTrack       = 11
	eventCategory    = 22
	eventName        = 23
	eventDouble      = 44

	annotationNameID = 1 // DebugAnnotation
	annotationUint   = 3
	annotationText   = 6
	annotationName   = 10

	trackID       = 1 // TrackDescriptor
	trackName     = 2
	trackProcess  = 3
	trackThread   = 4
	trackParent   = 5
	trackCounter  = 8
	trackChildren = 11
	trackPlace    = 12

	processPID     = 1 // ProcessDescriptor
	processCommand = 2
	processName    = 6

	threadPID  = 1 // ThreadDescriptor
	threadID   = 2
	threadName = 5

	clocksClock = 1 // ClockSnapshot
	clockID     = 1 // ClockSnapshot.Clock
	clockTime   = 2
)

// Values of enumerations.
const (
	typeBegin   = 1 // TrackEvent.Type
	typeEnd     = 2
	typeInstant = 3
	typeCounter = 4

	flagCleared = 1 // TracePacket.SequenceFlags
	flagNeeds   = 2

	inOrderOfPlace = 3 // TrackDescriptor.ChildTracksOrdering

	clockRealtime = 1 // BuiltinClock
	clockBoottime = 6 // default clock of a trace
)

// Categories of a file's descriptions of itself. They are written out, so that any version can read them.
const (
	categoryJob  = "pebbles.job"
	categoryLeft = "pebbles.left_out"
)

// Names of counts of missing events.
const (
	saidRing  = "ring was full"
	saidFile  = "file was full"
	saidDisk  = "disk refused"
	saidLanes = "no lane was free"
)
