# SPDX-License-Identifier: Apache-2.0
# Sourced with $root and $micro set: finds the Pollux jar and leaves the class path in $class_path.
pollux=''
for jar in "$root"/target/pollux-*.jar; do
    case $jar in
        *-sources.jar | *-javadoc.jar) ;;
        *) [ -f "$jar" ] && pollux=$jar ;;
    esac
done
if [ -z "$pollux" ]; then
    echo "no pollux jar in $root/target: run mvn -q -DskipTests package" >&2
    exit 1
fi
class_path=$micro/target/classes:$micro/target/lib/*:$pollux
