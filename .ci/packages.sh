# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by test.sh, src/test/foreign/run.sh and .ci/java/Build.java: gets programs of other Debian systems
# into a folder. Nothing is installed, and apt has a state of its own, so that the machine's knows of no other system.

# unpacked <folder> <architecture> <release> <package...>: leaves the packages in that folder, unless it is there
# already. The release may be "", for this machine's own. A package may be a pattern of apt's.
unpacked() {
    local root=$1 apt=$1.apt deb
    [ ! -d "$root" ] || return 0
    rm -rf "$root.new" && mkdir -p "$root.new"
    apt_of_its_own "$apt"
    echo "APT { Architecture \"$2\"; Architectures { \"$2\"; }; };" >>"$apt/apt.conf"
    [ -z "$3" ] || only "$3" "$apt"
    APT_CONFIG=$apt/apt.conf apt-get -q update || true
    (cd "$apt/debs" && APT_CONFIG=$apt/apt.conf apt-get -q download "${@:4}")
    for deb in "$apt"/debs/*.deb; do
        dpkg-deb -x "$deb" "$root.new"
    done
    # Absolute links would lead out of the folder.
    find "$root.new" -type l -lname '/*' -exec sh -c 'ln -sfn "$1$(readlink "$2")" "$2"' - "$root" {} \;
    rm -rf "$apt"
    mv "$root.new" "$root"
}

# sources <folder> <package...>: leaves what upstream wrote there, of the packages of this machine's own Debian.
sources() {
    local root=$1 apt=$1.apt archive
    apt_of_its_own "$apt"
    rm -rf "$root.new" && mkdir -p "$root.new"
    only "$(release)" "$apt" deb-src
    APT_CONFIG=$apt/apt.conf apt-get -q update
    (cd "$apt/debs" && APT_CONFIG=$apt/apt.conf apt-get -q --download-only source "${@:2}")
    for archive in "$apt"/debs/*.orig.tar.*; do
        [[ $archive = *.asc ]] || python3 -m tarfile -e "$archive" "$root.new" # knows each way of compressing
    done
    rm -rf "$apt"
    mv "$root.new" "$root"
}

# unpacked_jdks <folder>: leaves the JREs of Debian's unstable release there that are younger than 25, able to run. They
# need a younger C library than this machine may have. They are told to load that one, by its own loader, so that they
# start like any other program: also as children, and with the helper that starts children.
unpacked_jdks() {
    local loader libraries patchelf program
    unpacked "$1" "$(dpkg --print-architecture)" sid '~n"^openjdk-(2[6-9]|[3-9][0-9])-jre-headless$"' \
        libc6 libgcc-s1 libstdc++6 zlib1g patchelf
    loader=$(echo "$1"/usr/lib/*-linux-gnu*/ld*.so.?)
    libraries=$(dirname "$loader")
    patchelf=("$loader" --library-path "$libraries" "$1/usr/bin/patchelf")
    for program in "$1"/usr/lib/jvm/java-[0-9][0-9]-openjdk-*/{bin/java,lib/jspawnhelper}; do
        [ "$("${patchelf[@]}" --print-interpreter "$program")" = "$loader" ] ||
            "${patchelf[@]}" --set-interpreter "$loader" \
                --force-rpath --set-rpath "\$ORIGIN:\$ORIGIN/../lib:$libraries" "$program"
    done
}

# apt_of_its_own <folder>: a configuration, apt.conf, and all else that apt keeps; what it loads may go to debs.
apt_of_its_own() {
    rm -rf "$1"
    mkdir -p "$1"/{lists/partial,archives/partial,debs}
    : >"$1/status"
    cat >"$1/apt.conf" <<END
APT::Sandbox::User "";
Acquire { Languages "none"; IndexTargets::deb::DEP-11::DefaultEnabled "false"; };
Dir { State "$1"; State::status "$1/status"; Cache "$1"; };
END
}

# Prints the name of this machine's release of Debian.
release() {
    (. /etc/os-release && echo "$VERSION_CODENAME")
}

# only <release> <folder of apt> [deb-src]: that release of Debian, or its sources, is apt's one source, from the mirror
# that this machine uses.
only() {
    local mirror
    mirror=$(apt-get indextargets --no-release-info 'Identifier: Packages' 'Component: main' \
        "Release: $(release)" | sed -n 's/^Repo-URI: //p' | head -n 1)
    echo "${3:-deb} [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$2/sources.list"
    echo "Dir::Etc { sourcelist \"$2/sources.list\"; sourceparts \"/dev/null\"; };" >>"$2/apt.conf"
}
